"""Requests and answers of the server, typed and by subject: the schemas of the OpenAPI page."""
