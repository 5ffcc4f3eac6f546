/** The verifiers of the page "Verify a delivery", read from the documentation, which is beside the Worker's code. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";

export interface Snippet {
  language: string;
  code: string;
}

/** The first block of code below each of these headings. */
const LANGUAGES: Readonly<Record<string, string>> = {
  TypeScript: "Node (TypeScript)",
  Python: "Python",
  Go: "Go",
  Ruby: "Ruby",
  PHP: "PHP",
  Java: "Java",
  "C#": "C#",
  Shell: "Shell",
};
const BLOCK = /^## (.+)\n(?:(?!^## )[\s\S])*?^```\w+\n([\s\S]*?)^```$/gm;

/** Empty if the documentation is not there. */
export async function readSnippets(c: Context<AppEnv>): Promise<Snippet[]> {
  const response = await c.env.ASSETS.fetch(new Request(new URL("/docs/verify.md", c.req.url)));
  if (!response.ok) return [];
  return [...(await response.text()).matchAll(BLOCK)].flatMap(([, heading = "", code = ""]) => {
    const language = LANGUAGES[heading];
    return language === undefined ? [] : [{ language, code }];
  });
}
