"""What an option is worth in VP: the shared features that every weighted strategy stands on."""
