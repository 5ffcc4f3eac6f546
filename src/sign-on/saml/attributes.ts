/** What an assertion says of a person beside their name. */
import { SAML } from "./names";
import { attributeOf, childrenNamed, elementsIn, textOf, type XmlElement, XmlRefused } from "./xml";

const MAX_ATTRIBUTES = 200;
const MAX_NAME_CHARACTERS = 255;
/** A longer value is left out, as a photo is. */
const MAX_VALUE_CHARACTERS = 2048;

/**
 * The values by Name, and by FriendlyName where that is no other's name. Values that are no mere text are left out:
 * what one could read in them is not what the provider has said. Throws XmlRefused.
 */
export function attributesOf(statements: readonly XmlElement[]): Record<string, string[]> {
  const elements = statements.flatMap(elementsIn);
  const unknown = elements.find(({ namespace, local }) => namespace !== SAML || local !== "Attribute");
  if (unknown !== undefined) throw new XmlRefused(`AttributeStatement has an element ${unknown.local.slice(0, 40)}`);
  if (elements.length > MAX_ATTRIBUTES) throw new XmlRefused(`it has more than ${MAX_ATTRIBUTES} attributes`);
  const values = new Map<string, string[]>();
  for (const element of elements) {
    const name = attributeOf(element, "Name");
    if (name === null || name === "" || name.length > MAX_NAME_CHARACTERS) {
      throw new XmlRefused(`the Name of an attribute is missing, or longer than ${MAX_NAME_CHARACTERS} characters`);
    }
    values.set(name, [...(values.get(name) ?? []), ...valuesIn(element)]);
  }
  for (const element of elements) {
    const name = attributeOf(element, "FriendlyName");
    if (name && name.length <= MAX_NAME_CHARACTERS && !values.has(name)) values.set(name, valuesIn(element));
  }
  // Without a prototype, so that a name such as "constructor" is nobody's.
  const attributes: Record<string, string[]> = Object.create(null);
  for (const [name, all] of values) attributes[name] = all;
  return attributes;
}

const valuesIn = (attribute: XmlElement): string[] =>
  childrenNamed(attribute, SAML, "AttributeValue")
    .map(textOf)
    .filter((text): text is string => text !== null && text !== "" && text.length <= MAX_VALUE_CHARACTERS);
