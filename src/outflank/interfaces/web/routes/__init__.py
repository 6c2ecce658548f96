"""What the server answers: the REST interface and the pages."""
