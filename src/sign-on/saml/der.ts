/** The few parts of ASN.1 in DER (X.690) that a certificate has. */
export interface DerValue {
  tag: number;
  /** Where its tag begins, its contents begin, and both end. */
  start: number;
  contents: number;
  end: number;
}

export const [SEQUENCE, INTEGER, BIT_STRING, OBJECT_IDENTIFIER] = [0x30, 0x02, 0x03, 0x06];
export const [UTC_TIME, GENERALIZED_TIME] = [0x17, 0x18];
const MAX_LENGTH_BYTES = 3;

/** The values that follow one another between two places. Throws RangeError for what is no DER. */
export function derValues(bytes: Uint8Array, from: number, to: number): DerValue[] {
  const values: DerValue[] = [];
  for (let at = from; at < to; ) {
    const value = derValue(bytes, at);
    if (value.end > to) throw new RangeError("a value is longer than what it is in");
    values.push(value);
    at = value.end;
  }
  return values;
}

export const insideOf = (bytes: Uint8Array, { contents, end }: DerValue): DerValue[] => derValues(bytes, contents, end);

function derValue(bytes: Uint8Array, start: number): DerValue {
  const [tag = 0, first = 0] = bytes.subarray(start, start + 2);
  const isShort = first < 0x80;
  const count = isShort ? 0 : first & 0x7f;
  const contents = start + 2 + count;
  if (contents > bytes.length || count > MAX_LENGTH_BYTES || (!isShort && count === 0)) throw new RangeError("length");
  const length = isShort ? first : bytes.subarray(start + 2, contents).reduce((sum, byte) => sum * 256 + byte, 0);
  return { tag, start, contents, end: contents + length };
}

/** A time of a certificate in Unix ms (RFC 5280, section 4.1.2.5). */
export function derTime(bytes: Uint8Array, { tag, contents, end }: DerValue): number {
  const text = String.fromCharCode(...bytes.subarray(contents, Math.min(end, contents + 20)));
  const full = tag === UTC_TIME ? `${text < "5" ? "20" : "19"}${text}` : tag === GENERALIZED_TIME ? text : "";
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full);
  if (parts === null) throw new RangeError("a time");
  const [, year, month, day, hour, minute, second] = parts;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(at)) throw new RangeError("a time");
  return at;
}
