/** What documents the reader of SAML takes: each rule broken, and each bound on either side. */
import { describe, expect, test } from "vitest";
import { utf8 } from "../../src/base/crypto/encoding";
import { canonicalBytes } from "../../src/sign-on/saml/canonical";
import { parseXml } from "../../src/sign-on/saml/parse";
import { XmlRefused } from "../../src/sign-on/saml/xml";

/** The canonical form of a document, or why it is refused. */
function read(xml: string | Uint8Array, comments = false): string {
  try {
    const root = parseXml(typeof xml === "string" ? utf8(xml) : xml, { comments });
    return new TextDecoder().decode(canonicalBytes(root, { inclusive: new Set(), without: null }));
  } catch (error) {
    if (error instanceof XmlRefused) return `refused: ${error.message}`;
    throw error;
  }
}

const NO_MARKUP = "refused: it has a DOCTYPE, a comment or CDATA";
const NO_INSTRUCTION = "refused: it has a processing instruction";
const MALFORMED = "refused: a tag is malformed";
const UNKNOWN_ENTITY = "refused: it has an unknown entity";
const NO_CHARACTER = "refused: it has a reference to a character that XML does not know";
const ILLEGAL = "refused: it has a character that XML does not know";
const OUTSIDE = "refused: it has text outside its element";
const EARLY = "refused: it ends too early";
const TWICE = "refused: an attribute is there twice";
const NO_PREFIX = "refused: a prefix is declared that cannot be";
const NO_NAMESPACE = "refused: a namespace is no address, or longer than 255 characters";
const BOMB = '<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]><a>&c;</a>';
const EXTERNAL = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>';

describe("a document", () => {
  test.each<[string, string, string]>([
    ["with a declaration", '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<a/>', "<a></a>"],
    ["with a declaration in single quotes", "<?xml version='1.0' encoding='utf-8'?><a/>", "<a></a>"],
    ["of another encoding", '<?xml version="1.0" encoding="UTF-16"?><a/>', NO_INSTRUCTION],
    ["of another version", '<?xml version="1.1"?><a/>', NO_INSTRUCTION],
    ["with two declarations", '<?xml version="1.0"?><?xml version="1.0"?><a/>', NO_INSTRUCTION],
    ["with a declaration after a blank", ' <?xml version="1.0"?><a/>', NO_INSTRUCTION],
    ["with a processing instruction", "<a><?b c?></a>", NO_INSTRUCTION],
    ["with a DOCTYPE", "<!DOCTYPE a><a/>", NO_MARKUP],
    ["with entities of entities", BOMB, NO_MARKUP],
    ["with an external entity", EXTERNAL, NO_MARKUP],
    ["with a comment", "<a>b<!-- c -->d</a>", NO_MARKUP],
    ["with a comment before it", "<!-- c --><a/>", NO_MARKUP],
    ["with CDATA", "<a><![CDATA[b]]></a>", NO_MARKUP],
    ["with ]]> in a text", "<a>]]></a>", "refused: it has ]]> in a text"],
    ["with the five entities", "<a>&amp;&lt;&gt;&quot;&apos;</a>", "<a>&amp;&lt;&gt;\"'</a>"],
    ["with another entity", "<a>&nbsp;</a>", UNKNOWN_ENTITY],
    ["with an entity in capitals", "<a>&AMP;</a>", UNKNOWN_ENTITY],
    ["with an & alone", "<a>b & c</a>", UNKNOWN_ENTITY],
    ["with an entity that does not end", "<a>&amp</a>", UNKNOWN_ENTITY],
    ["with numeric references", "<a>&#65;&#x1F600;</a>", "<a>A😀</a>"],
    ["with a reference to nothing", "<a>&#;</a>", UNKNOWN_ENTITY],
    ["with a reference to U+0000", "<a>&#0;</a>", NO_CHARACTER],
    ["with a reference to half a character", "<a>&#xD800;</a>", NO_CHARACTER],
    ["with a reference to U+FFFE", "<a>&#xFFFE;</a>", NO_CHARACTER],
    ["with a reference beyond Unicode", "<a>&#x110000;</a>", UNKNOWN_ENTITY],
    ["with a reference in an attribute", '<a b="&#10;&lt;"/>', '<a b="&#xA;&lt;"></a>'],
    ["with U+0000", "<a>\0</a>", ILLEGAL],
    ["with U+FFFF", "<a>\uFFFF</a>", ILLEGAL],
    ["with all line ends", "<a>1\r\n2\r3\n4&#13;</a>", "<a>1\n2\n3\n4&#xD;</a>"],
    ["with white space in an attribute", '<a b="1\t2\r\n3"/>', '<a b="1 2 3"></a>'],
    ["with < in an attribute", '<a b="<"/>', MALFORMED],
    ["without quotes", "<a b=c/>", MALFORMED],
    ["with an attribute without a value", "<a b/>", MALFORMED],
    ["with attributes that touch", '<a b="1"c="2"/>', MALFORMED],
    ["with a name in other letters", "<ä/>", MALFORMED],
    ["with a name of two colons", "<a:b:c xmlns:a='urn:a'/>", MALFORMED],
    ["with a name that begins with a digit", "<1/>", MALFORMED],
    ["with a blank before the name", "< a/>", MALFORMED],
    ["with a tag that ends another", "<a><b></a></b>", "refused: a tag ends that is not open"],
    [
      "with an end of another prefix",
      '<p:a xmlns:p="urn:p" xmlns:q="urn:p"></q:a>',
      "refused: a tag ends that is not open",
    ],
    ["with an end tag that is empty", "<a></a/>", "refused: a tag ends that is not open"],
    ["with an end tag with attributes", '<a></a b="c">', MALFORMED],
    ["that does not end", "<a>", EARLY],
    ["that is nothing", "", EARLY],
    ["with text before it", "b<a/>", OUTSIDE],
    ["with text after it", "<a/>b", OUTSIDE],
    ["with two roots", "<a/><a/>", "refused: it has two roots"],
    ["with a tag that does not end", "<a", MALFORMED],
  ])("%s", (_, xml, expected) => {
    expect(read(xml)).toBe(expected);
  });

  test("is UTF-8, with or without its mark", () => {
    expect(read(Uint8Array.of(0xef, 0xbb, 0xbf, ...utf8("<a>ä</a>")))).toBe("<a>ä</a>");
    expect(read(Uint8Array.of(...utf8("<a>"), 0xe4, ...utf8("</a>")))).toBe("refused: it is not UTF-8");
    expect(read(Uint8Array.of(...utf8("<a>"), 0xc0, 0xbc, ...utf8("</a>")))).toBe("refused: it is not UTF-8");
    expect(read(Uint8Array.of(...[...utf8("<a/>")].flatMap((one) => [one, 0])))).toMatch(/^refused/);
  });

  test("has comments only where they are asked for, and they join the text around them", () => {
    expect(read("<!-- 1 --><a>b<!-- <c> -->d</a><!---->", true)).toBe("<a>bd</a>");
    expect(read("<a><!-- b -- c --></a>", true)).toBe("refused: it has a comment that does not end");
    expect(read("<a><!-- b </a>", true)).toBe("refused: it has a comment that does not end");
    expect(read("<a><![CDATA[b]]></a>", true)).toBe(NO_MARKUP);
  });
});

describe("names and their namespaces", () => {
  const XML = "http://www.w3.org/XML/1998/namespace";
  const XMLNS = "http://www.w3.org/2000/xmlns/";
  test.each<[string, string, string]>([
    ["an element's prefix that nobody declares", "<p:a/>", "refused: the prefix p is not declared"],
    ["an attribute's prefix that nobody declares", '<a p:b=""/>', "refused: the prefix p is not declared"],
    [
      "a prefix that another element declares",
      '<a><b xmlns:p="urn:p"/><p:c/></a>',
      "refused: the prefix p is not declared",
    ],
    ["the prefix xmlns", "<xmlns:a/>", "refused: the prefix xmlns is not declared"],
    ["two equal attributes", '<a b="1" b="2"/>', TWICE],
    ["two equal by their namespace", '<a xmlns:p="urn:p" xmlns:q="urn:p" p:b="1" q:b="2"/>', TWICE],
    ["two declarations of a prefix", '<a xmlns:p="urn:p" xmlns:p="urn:q"/>', TWICE],
    ["two declarations of none", '<a xmlns="urn:p" xmlns="urn:p"/>', TWICE],
    ["a prefix for no namespace", '<a xmlns:p=""/>', NO_PREFIX],
    ["another meaning of xml", '<a xmlns:xml="urn:p"/>', NO_PREFIX],
    ["another meaning of xmlns", '<a xmlns:xmlns="urn:p"/>', NO_PREFIX],
    ["another prefix for xml's", `<a xmlns:p="${XML}"/>`, NO_PREFIX],
    ["another prefix for xmlns's", `<a xmlns="${XMLNS}"/>`, NO_PREFIX],
    ["a namespace with a blank", '<a xmlns="urn: p"/>', NO_NAMESPACE],
    ["a namespace that looks like another", '<a xmlns="urn:аsis"/>', NO_NAMESPACE],
    ["a namespace of 256 characters", `<a xmlns="${"u".repeat(256)}"/>`, NO_NAMESPACE],
    ["equal IDs", '<a ID="x"><b ID="x"/></a>', "refused: two elements have the same ID"],
    ["equal IDs by other names", '<a ID="x"><b Id="x"/></a>', "refused: two elements have the same ID"],
    ["equal IDs in other namespaces", '<a id="x"><b xml:id="x"/></a>', "refused: two elements have the same ID"],
    ["equal IDs of one element", '<a ID="x" Id="x"/>', "refused: two elements have the same ID"],
    ["equal values of other attributes", '<a ID="x" b="x"/>', '<a ID="x" b="x"></a>'],
  ])("%s", (_, xml, expected) => {
    expect(read(xml)).toBe(expected);
  });

  test("a namespace is written with its references in the canonical form", () => {
    expect(read("<a xmlns='urn:&amp;&lt;&quot;'/>")).toBe('<a xmlns="urn:&amp;&lt;&quot;"></a>');
  });
});

describe("the bounds of a document", () => {
  const inside = (text: string) => `<a>${text}</a>`;
  const deep = (count: number) => "<a>".repeat(count) + "</a>".repeat(count);
  const attributes = (count: number) => `<a${Array.from({ length: count }, (_, i) => ` b${i}=""`).join("")}/>`;
  const isTaken = (xml: string) => !read(xml).startsWith("refused");

  test.each<[string, string, string, string]>([
    ["128 KiB", inside("b".repeat(128 * 1024 - 7)), inside("b".repeat(128 * 1024 - 6)), "it is larger than 128 KiB"],
    ["2,000 elements", inside("<b/>".repeat(1999)), inside("<b/>".repeat(2000)), "it has more than 2000 elements"],
    ["16 in each other", deep(16), deep(17), "its elements are more than 16 deep"],
    ["32 attributes", attributes(32), attributes(33), "a tag has more than 32 attributes"],
  ])("are %s", (_, good, bad, why) => {
    expect(isTaken(good)).toBe(true);
    expect(read(bad)).toBe(`refused: ${why}`);
  });

  test("are 256 KiB of the canonical form, however small the document", () => {
    const repeated = (count: number) => `<a xmlns:p="urn:${"u".repeat(200)}">${"<p:b/>".repeat(count)}</a>`;
    expect(isTaken(repeated(1000))).toBe(true);
    expect(read(repeated(1500))).toBe("refused: its namespaces are repeated too often");
  });
});
