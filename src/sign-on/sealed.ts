/** What the ciphertexts of connections are bound to. */

/** Of a client secret. */
export const connectionOwner = (id: string): string => `connection:${id}`;

/** Of what a provider said of a person: bound to the connection, because rows of traces are written again. */
export const traceOwner = (connectionId: string): string => `sign-on-trace:${connectionId}`;
