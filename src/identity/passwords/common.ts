/**
 * The 5,000 most common passwords of at least 8 characters, lower-cased, from the list of
 * @zxcvbn-ts/language-common 4.1.3 (MIT, © 2012-2016 Dan Wheeler and Dropbox, Inc., © 2021 @zxcvbn-ts).
 */
import list from "./common.txt";

export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(list.trim().split("\n"));
