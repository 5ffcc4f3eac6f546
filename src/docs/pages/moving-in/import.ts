import { createClient } from "postern/client";

/** Imports people, each a line of JSON in `parts`. Returns what became of those who were refused. */
export async function importPeople(baseUrl: string, platformKey: string, parts: string[]) {
  const { imports } = createClient({ baseUrl, platformKey }).platform;
  const { id } = await imports.create({ name: "From our former service" });
  for (const [index, part] of parts.entries()) await imports.putPart(id, index + 1, part);
  await imports.start(id, { parts: parts.length });
  while ((await imports.get(id)).state === "running") await new Promise((resolve) => setTimeout(resolve, 1000));
  const refused = [];
  for await (const line of imports.report(id, { outcome: "refused" })) refused.push(line);
  return refused;
}
