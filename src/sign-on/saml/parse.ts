/**
 * A strict parser of the small part of XML 1.0 that signed documents need, in one pass and linear time. It knows no
 * DOCTYPE, CDATA or processing instructions, and comments only where they are asked for. Names are ASCII.
 */
import { attributeValue, isLegal, withCharacters, withLineEnds } from "./characters";
import { elementOf, type RawAttribute } from "./element";
import { OUTERMOST } from "./scope";
import { type XmlElement, XmlRefused } from "./xml";

export const MAX_XML_BYTES = 128 * 1024;
const MAX_ELEMENTS = 2000;
const MAX_DEPTH = 16;
const MAX_ATTRIBUTES = 32;

const DECLARATION =
  /^<\?xml\s+version=(["'])1\.0\1(?:\s+encoding=(["'])[Uu][Tt][Ff]-8\2)?(?:\s+standalone=(["'])(?:yes|no)\3)?\s*\?>/;
const NAME = /(?:([A-Za-z_][\w.-]*):)?([A-Za-z_][\w.-]*)/y;
const ATTRIBUTE = /[\t\n ]+(?:([A-Za-z_][\w.-]*):)?([A-Za-z_][\w.-]*)[\t\n ]*=[\t\n ]*(?:"([^"<]*)"|'([^'<]*)')/y;
const TAG_END = /[\t\n ]*(\/?)>/y;
const BLANK = /^[\t\n ]*$/;

/** `comments`: whether they are left out rather than refused, as in what nobody has signed. */
export interface XmlReading {
  comments?: boolean;
}

/** The root of a document in UTF-8. Throws XmlRefused. */
export function parseXml(bytes: Uint8Array, reading: XmlReading = {}): XmlElement {
  if (bytes.length > MAX_XML_BYTES) throw new XmlRefused("it is larger than 128 KiB");
  try {
    return parseText(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes), reading);
  } catch (error) {
    if (error instanceof TypeError) throw new XmlRefused("it is not UTF-8");
    throw error;
  }
}

function parseText(text: string, reading: XmlReading): XmlElement {
  if (!isLegal(text)) throw new XmlRefused("it has a character that XML does not know");
  return new Parser(withLineEnds(text), reading).document();
}

class Parser {
  private at = 0;
  private elements = 0;
  private readonly ids = new Set<string>();
  /** The elements that are open, the innermost last. */
  private readonly open: XmlElement[] = [];
  private root: XmlElement | null = null;

  constructor(
    private readonly text: string,
    private readonly reading: XmlReading,
  ) {}

  document(): XmlElement {
    this.at = DECLARATION.exec(this.text)?.[0].length ?? 0;
    while (this.at < this.text.length) {
      this.characters();
      if (this.at < this.text.length) this.markup();
    }
    if (this.root === null || this.open.length > 0) throw new XmlRefused("it ends too early");
    return this.root;
  }

  private characters(): void {
    const next = this.text.indexOf("<", this.at);
    const raw = this.text.slice(this.at, next === -1 ? this.text.length : next);
    this.at += raw.length;
    const parent = this.open.at(-1);
    if (parent === undefined) {
      if (!BLANK.test(raw)) throw new XmlRefused("it has text outside its element");
    } else if (raw !== "") {
      if (raw.includes("]]>")) throw new XmlRefused("it has ]]> in a text");
      const text = withCharacters(raw);
      const last = parent.children.length - 1;
      if (typeof parent.children[last] === "string") parent.children[last] += text;
      else parent.children.push(text);
    }
  }

  private markup(): void {
    if (this.text.startsWith("</", this.at)) this.endTag();
    else if (this.text.startsWith("<!--", this.at) && this.reading.comments) this.comment();
    else if (this.text.startsWith("<!", this.at)) throw new XmlRefused("it has a DOCTYPE, a comment or CDATA");
    else if (this.text.startsWith("<?", this.at)) throw new XmlRefused("it has a processing instruction");
    else this.startTag();
  }

  private comment(): void {
    const end = this.text.indexOf("--", this.at + "<!--".length);
    if (end === -1 || this.text[end + 2] !== ">") throw new XmlRefused("it has a comment that does not end");
    this.at = end + "-->".length;
  }

  private startTag(): void {
    this.elements += 1;
    if (this.elements > MAX_ELEMENTS) throw new XmlRefused(`it has more than ${MAX_ELEMENTS} elements`);
    if (this.open.length >= MAX_DEPTH) throw new XmlRefused(`its elements are more than ${MAX_DEPTH} deep`);
    this.at += 1;
    const [, prefix = "", local = ""] = this.take(NAME);
    const attributes = this.attributes();
    const [, isEmpty] = this.take(TAG_END);
    const parent = this.open.at(-1);
    const element = elementOf({ prefix, local, attributes }, parent?.scope ?? OUTERMOST, this.ids);
    if (parent !== undefined) parent.children.push(element);
    else if (this.root === null) this.root = element;
    else throw new XmlRefused("it has two roots");
    if (isEmpty === "") this.open.push(element);
  }

  private attributes(): RawAttribute[] {
    const attributes: RawAttribute[] = [];
    for (let match = this.tried(ATTRIBUTE); match !== null; match = this.tried(ATTRIBUTE)) {
      const [, prefix = "", local = "", double, single = ""] = match;
      if (attributes.length >= MAX_ATTRIBUTES) throw new XmlRefused(`a tag has more than ${MAX_ATTRIBUTES} attributes`);
      attributes.push({ prefix, local, value: attributeValue(double ?? single) });
    }
    return attributes;
  }

  private endTag(): void {
    this.at += "</".length;
    const [, prefix = "", local = ""] = this.take(NAME);
    const [, isEmpty] = this.take(TAG_END);
    const element = this.open.pop();
    const isOurs = element?.prefix === prefix && element.local === local && isEmpty === "";
    if (!isOurs) throw new XmlRefused("a tag ends that is not open");
  }

  private take(pattern: RegExp): RegExpExecArray {
    const match = this.tried(pattern);
    if (match === null) throw new XmlRefused("a tag is malformed");
    return match;
  }

  private tried(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match !== null) this.at += match[0].length;
    return match;
  }
}
