/**
 * The format of API keys and platform keys: a prefix, 34 random base62 characters, 6 characters of CRC32 that detect a
 * typo without a lookup.
 */
import { isChecked, makeChecked } from "../../base/crypto/checked-token";

/** Of an API key, a platform key, a portal link, a portal token, a setup link, and the token of a directory. */
export type KeyPrefix = "ak_" | "psk_" | "pl_" | "pt_" | "sl_" | "scim_";

const RANDOM_CHARACTERS = 34;
const FORM = /^(ak_|psk_|psf_|pl_|pt_|sl_|scim_)[0-9A-Za-z]{40}$/;
const SHOWN_CHARACTERS = 8;

/** A new random key. */
export const makeKey = (prefix: KeyPrefix): string => makeChecked(prefix, RANDOM_CHARACTERS);

/** False for text that cannot be a key of ours, nor the token of a feed, a portal or SCIM, which has the same form. */
export const isKey = (text: string): boolean => FORM.test(text) && isChecked(text);

/** What is shown of a key: its first 8 characters and `…`. */
export const shownPrefix = (key: string): string => `${key.slice(0, SHOWN_CHARACTERS)}…`;
