"""Entities and scenes as SVG pictures of this project's own making."""
