/** Printing results on stdout. Progress and errors go to stderr. */

/** Prints `result` as JSON, or `text` for people. */
export function print(json: boolean, result: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(result) : text}\n`);
}

/** Tells people what happens, apart from the result. */
export const tell = (text: string) => void process.stderr.write(`${text}\n`);
