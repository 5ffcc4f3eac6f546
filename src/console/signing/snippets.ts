/** The verifiers of the page "Verify a delivery", read from the documentation, which is beside the Worker's code. */

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

/** Those of the documentation at the host of `url`. Empty if it is not there. */
export async function readSnippets(assets: Fetcher, url: string): Promise<Snippet[]> {
  const response = await assets.fetch(new Request(new URL("/docs/verify.md", url)));
  if (!response.ok) return [];
  return [...(await response.text()).matchAll(BLOCK)].flatMap(([, heading = "", code = ""]) => {
    const language = LANGUAGES[heading];
    return language === undefined ? [] : [{ language, code }];
  });
}
