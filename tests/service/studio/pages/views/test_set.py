"""The Set view in a real browser: from sixty labelled answers to a policy file that the guard uses."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from guardrail import Guard, Policy
from guardrail.service.studio.studio import Studio
from tests.support.axe import serious_faults
from tests.support.label_files import label_bridges, write_bridges
from tests.support.studios import running

expect.set_options(timeout=300_000)

pytestmark = pytest.mark.clock


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("set")


@pytest.fixture(scope="module")  # the answers are judged once
def site(folder):
    path = write_bridges(folder / "answers.jsonl", 60)
    label_bridges(path)
    with running(Studio(path, policy_out=folder / "policy.yaml")) as found:
        yield found


@pytest.fixture
def out(folder):
    """The file that may be written; it is not there yet."""
    path = folder / "policy.yaml"
    path.unlink(missing_ok=True)
    return path


def figure(page, name):
    return page.locator(".figures").first.locator(".measure", has_text=name)


def to(slider, step):
    """Move the slider as a hand does."""
    slider.evaluate("(input, step) => { input.value = step; input.dispatchEvent(new Event('input')); }", str(step))


def test_from_sixty_labels_to_a_policy_that_the_guard_uses(page, site, out):
    out.write_text("# by hand\npreset: monitor\nthreshold: 0.9\n")
    page.goto(site.at("/set"))
    slider = page.get_by_role("slider", name="Threshold")
    expect(slider).to_have_value("50")
    to(slider, 0)
    expect(figure(page, "False alarms")).to_contain_text("0 of 40")
    to(slider, 100)
    expect(figure(page, "Errors found")).to_contain_text("20 of 20")
    expect(figure(page, "Held back")).to_contain_text("of 60")
    expect(page.get_by_role("table")).to_contain_text("contradiction")
    slider.focus()
    slider.press("Home")
    expect(figure(page, "False alarms")).to_contain_text("0 of 40")
    page.get_by_label("Start from policy").select_option("strict")
    page.get_by_label("At most").wait_for()
    page.get_by_label("At most").fill("1")
    page.get_by_role("button", name="Find the threshold").click()
    expect(page.get_by_text("at least 99 are needed")).to_be_visible()
    page.get_by_label("At most").fill("20")
    page.get_by_label("At most").press("Enter")
    expect(page.get_by_text("at most 20 % are delivered as supported")).to_be_visible()
    page.get_by_role("button", name="of this guarantee").click()
    expect(page.get_by_text("1 comment line of the file would be lost")).to_be_visible()
    expect(page.locator(".removed", has_text="-preset: monitor")).to_be_visible()
    assert out.read_text().startswith("# by hand")
    page.get_by_role("button", name="Overwrite policy.yaml").click()
    expect(page.get_by_text("Written: policy.yaml")).to_be_visible()
    policy = Policy.load(out)
    assert policy.calibration is not None
    assert (policy.calibration.n, policy.calibration.target) == (20, 0.2)
    assert policy.actions == Policy.strict().actions
    guard, passage = Guard(policy=policy), "Brill Bridge was opened to traffic in 1954."
    assert guard.run("Brill Bridge was opened to traffic in 1954.", [passage]).action == "allow"
    assert guard.run("Brill Bridge was opened to traffic in 1971.", [passage]).action == "block"


def test_a_changed_file_is_not_overwritten(page, site, out):
    page.goto(site.at("/set"))
    page.get_by_role("button", name="of this threshold").click()
    page.get_by_role("button", name="Write policy.yaml").wait_for()
    out.write_text("preset: strict\n")
    page.get_by_role("button", name="Write policy.yaml").click()
    expect(page.get_by_text("was changed since its diff was shown")).to_be_visible()
    assert out.read_text() == "preset: strict\n"


def test_empty_states(page, tmp_path):
    with running(Studio()) as site:
        page.goto(site.at("/set"))
        expect(page.get_by_role("heading", name="Nothing to set yet")).to_be_visible()
    with running(Studio(write_bridges(tmp_path / "answers.jsonl", 3))) as site:
        page.goto("about:blank")
        page.goto(site.at("/set"))
        expect(page.get_by_role("heading", name="No answer has a label yet")).to_be_visible()
        page.get_by_role("link", name="Label some answers").click()
        expect(page.get_by_label("Your name")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_fault_of_accessibility(page, site, out, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(site.at("/set"))
    page.get_by_label("At most").fill("20")
    page.get_by_role("button", name="Find the threshold").click()
    page.get_by_role("button", name="of this guarantee").click()
    page.get_by_role("button", name="Write policy.yaml").wait_for()
    assert serious_faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
