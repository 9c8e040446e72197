"""Questions of balance: one file a question, each an experiment and an estimate."""
