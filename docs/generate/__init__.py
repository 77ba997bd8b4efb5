"""The pages of docs/ that are written from the code, so that they say what it does."""
