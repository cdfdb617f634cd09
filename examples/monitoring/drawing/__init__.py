"""Grafana's panels in one picture: what they ask (dashboard), how they look (sheet, charts, tiles, tables, numbers)."""
