/** Questions for TXT records, and the answers to them (RFC 1035, section 4). */
import { utf8 } from "../../base/crypto/encoding";

const [TXT, IN] = [16, 1];
const HEADER_BYTES = 12;
const [NOERROR, NXDOMAIN] = [0, 3];
/** The first byte of a label that continues elsewhere has both of these bits. */
const POINTER = 0xc0;
/** A name has no more labels, and a message that says so lies. */
const MAX_LABELS = 128;

const FLAGS = {
  isAnswer: 0x8000,
  opcode: 0x7800,
  isTruncated: 0x0200,
  recursionDesired: 0x0100,
  code: 0x000f,
} as const;

/** A question for the TXT records of a name in ASCII. `id`: 16 random bits. */
export function txtQuestion(name: string, id: number): Uint8Array<ArrayBuffer> {
  const labels = name.split(".").flatMap((label) => [label.length, ...utf8(label)]);
  const header = [id, FLAGS.recursionDesired, 1, 0, 0, 0].flatMap(twoBytes);
  return Uint8Array.from([...header, ...labels, 0, ...twoBytes(TXT), ...twoBytes(IN)]);
}

const twoBytes = (number: number): number[] => [number >> 8, number & 0xff];

/**
 * The TXT records of the name, each with its strings joined; none if there is no such name. Null for what is no answer
 * to the question: another id or name, an error such as SERVFAIL, a truncated or malformed message. Records of other
 * names are left out: what an alias leads to does not speak for the name.
 */
export function textsIn(answer: Uint8Array<ArrayBuffer>, name: string, id: number): string[] | null {
  try {
    return readTexts(new Reader(answer), name.toLowerCase(), id);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function readTexts(reader: Reader, name: string, id: number): string[] | null {
  const [givenId, flags, questions, answers] = [reader.number(), reader.number(), reader.number(), reader.number()];
  const isOurs = givenId === id && (flags & FLAGS.isAnswer) !== 0 && (flags & FLAGS.opcode) === 0 && questions === 1;
  if (!isOurs || (flags & FLAGS.isTruncated) !== 0) return null;
  reader.at = HEADER_BYTES;
  if (reader.name() !== name || reader.number() !== TXT || reader.number() !== IN) return null;
  const code = flags & FLAGS.code;
  if (code !== NOERROR) return code === NXDOMAIN ? [] : null;
  return Array.from({ length: answers }, () => reader.record()).flatMap((record) =>
    record.name === name && record.type === TXT && record.class === IN ? [joinedStrings(record.data)] : [],
  );
}

/** The strings of one TXT record, each of which begins with its length, as one. */
function joinedStrings(data: Uint8Array<ArrayBuffer>): string {
  const reader = new Reader(data);
  let joined = "";
  while (reader.at < data.length) joined += textOf(reader.bytes(reader.byte()));
  return joined;
}

/** What we look for is ASCII; other bytes must only differ from it. */
const textOf = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

/** Reads a message from its beginning. Throws RangeError beyond its end. */
class Reader {
  at = 0;
  readonly #view: DataView;

  constructor(readonly message: Uint8Array<ArrayBuffer>) {
    this.#view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  }

  byte(): number {
    this.at += 1;
    return this.#view.getUint8(this.at - 1);
  }

  number(): number {
    this.at += 2;
    return this.#view.getUint16(this.at - 2);
  }

  bytes(length: number): Uint8Array<ArrayBuffer> {
    const end = this.at + length;
    if (end > this.message.length) throw new RangeError("beyond the end");
    const bytes = this.message.slice(this.at, end);
    this.at = end;
    return bytes;
  }

  /** In lower case. Labels may continue at a former place of the message (section 4.1.4). */
  name(): string {
    const labels: string[] = [];
    let after: number | null = null;
    for (let left = MAX_LABELS; left > 0; left -= 1) {
      const length = this.byte();
      if (length === 0) {
        this.at = after ?? this.at;
        return labels.join(".").toLowerCase();
      }
      if (length < POINTER) {
        labels.push(textOf(this.bytes(length)));
        continue;
      }
      const place = ((length & ~POINTER) << 8) | this.byte();
      after ??= this.at;
      this.at = place;
    }
    throw new RangeError("too many labels");
  }

  record(): { name: string; type: number; class: number; data: Uint8Array<ArrayBuffer> } {
    const [name, type, of] = [this.name(), this.number(), this.number()];
    // How long the record may be kept.
    this.bytes(4);
    return { name, type, class: of, data: this.bytes(this.number()) };
  }
}
