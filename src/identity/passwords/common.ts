/**
 * The 5,000 most common passwords of at least 8 characters, lower-cased, from the list of
 * @zxcvbn-ts/language-common 4.1.3 (MIT, © 2012-2016 Dan Wheeler and Dropbox, Inc., © 2021 @zxcvbn-ts). `common.txt` is
 * a file beside the Worker.
 */
import { type Reader, readOnce } from "../../base/files";

/** The path of the list in the folder of the assets. */
export const COMMON_PASSWORDS_PATH = "lists/common-passwords.txt";

/** Whether the list has this password, in lower case. Nothing is common while the list cannot be read. */
export async function isCommon(reader: Reader, password: string): Promise<boolean> {
  if (password.includes("\n")) return false;
  // Kept as it is: a set of 5,000 strings takes ten times as much memory.
  const list = await readOnce(reader, { path: COMMON_PASSWORDS_PATH, parse: (text) => ({ lines: `\n${text}\n` }) });
  return list?.lines.includes(`\n${password}\n`) ?? false;
}
