/** Headers that make a browser save an export as a file. */
export const attachment = (name: "account" | "tenant") => ({
  "Content-Type": "application/json",
  "Content-Disposition": `attachment; filename="${name}.json"`,
});
