"""Servers that answer what the commands answer: lsp for editors, mcp for tools that call tools."""
