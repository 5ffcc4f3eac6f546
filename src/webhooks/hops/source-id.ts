/** The id of a source: `src_`, 22 random base62 characters and their checksum, so that scanners cost no lookup. */
import { isChecked, makeChecked } from "../../base/crypto/checked-token";

const RANDOM_CHARACTERS = 22;
const FORM = /^src_[0-9A-Za-z]{28}$/;

export const newSourceId = (): string => makeChecked("src_", RANDOM_CHARACTERS);

/** False for text that cannot be the id of a source. */
export const isSourceId = (text: string): boolean => FORM.test(text) && isChecked(text);
