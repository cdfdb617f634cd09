"""A hook of MkDocs: links to files outside docs/ work where the repository is read; the site shows their text only."""

import posixpath
import re

_LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s#]+)[^)]*\)")


def on_page_markdown(markdown: str, *, page, **_) -> str:
    """The page without links that leave the folder."""

    def plain(link: re.Match[str]) -> str:
        folder = posixpath.dirname(page.file.src_uri)
        leaves = posixpath.normpath(posixpath.join(folder, link["target"])).startswith("..")
        return link["text"] if leaves else link[0]

    return _LINK.sub(plain, markdown)
