"""The shell in a real browser."""


def test_the_page_opens_with_its_token_and_hides_it(page, site):
    page.goto(site.url)
    page.get_by_text("Nothing checked yet").wait_for()
    assert site.token not in page.url
    assert page.locator("nav a[aria-current]").inner_text() == "Check"


def test_a_page_without_a_token_can_be_unlocked(page, site):
    page.goto(site.origin)
    page.get_by_role("heading", name="This page is locked").wait_for()
    page.get_by_label("Address or token").fill(site.url)
    page.get_by_role("button", name="Unlock").click()
    page.get_by_text("Nothing checked yet").wait_for()
