/** The runbooks: what each of them says, and who links to it. */
import { describe, expect, test } from "vitest";
import { describeFinding, FINDING_KINDS } from "../../src/service/alarms/findings";

const markdown = import.meta.glob("../../src/docs/pages/**/*.md", { query: "?raw", import: "default", eager: true });
const pageOf = (name: string) => String(markdown[`../../src/docs/pages/${name}.md`] ?? "");
const runbooks = Object.keys(markdown)
  .map((path) => path.replace(/^.*\/pages\/|\.md$/g, ""))
  .filter((name) => name.startsWith("runbooks/"));

describe.each(runbooks)("%s", (name) => {
  test("says what one sees, what it means and what to do", () => {
    const sections = [...pageOf(name).matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(sections.slice(0, 2)).toEqual(["What you see", "What it means"]);
    expect(sections[2]).toBe(name === "runbooks/restore" ? "Before any restore" : "What to do");
  });

  test("is in the table of the operations page", () => {
    expect(pageOf("operations")).toContain(`](${name}.md)`);
  });
});

test.each(FINDING_KINDS)("the alarm %s links to a runbook, and its row of the operations page to the same", (kind) => {
  const { runbook } = describeFinding(`${kind}:0`);
  expect(runbooks).toContain(runbook);
  const row = pageOf("operations").match(new RegExp(`^\\| \`${kind}:.*$`, "m"))?.[0];
  expect(row).toContain(`](${runbook}.md)`);
});

test("each alert rule links to a runbook", () => {
  const rules = pageOf("metrics");
  const linked = [...rules.matchAll(/runbook_url: "https:[^"]*\/docs\/([a-z/-]+)"/g)].map(([, name = ""]) => name);
  expect(linked).toHaveLength([...rules.matchAll(/- alert:/g)].length);
  expect(linked.filter((name) => !runbooks.includes(name))).toEqual([]);
});
