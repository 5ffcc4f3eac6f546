/** Ids as clients send them. */

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/**
 * Returns a UUID in lower case, as it is stored: some languages print them in upper case, and RFC 9562 section 4 says
 * that this makes no difference. Ids of other forms keep their case.
 */
export const lowerUuid = (text: string): string => (UUID.test(text) ? text.toLowerCase() : text);
