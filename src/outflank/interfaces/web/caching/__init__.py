"""What the server keeps instead of making it again."""
