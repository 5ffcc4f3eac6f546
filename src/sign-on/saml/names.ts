/** The namespaces and identifiers of SAML 2.0 and of XML signatures. */
export const XML = "http://www.w3.org/XML/1998/namespace";
export const XMLNS = "http://www.w3.org/2000/xmlns/";
export const SAML = "urn:oasis:names:tc:SAML:2.0:assertion";
export const SAMLP = "urn:oasis:names:tc:SAML:2.0:protocol";
export const METADATA = "urn:oasis:names:tc:SAML:2.0:metadata";
export const DSIG = "http://www.w3.org/2000/09/xmldsig#";
export const EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#";
export const ENVELOPED = `${DSIG}enveloped-signature`;

export const SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success";
export const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
export const TRANSIENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
export const REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
export const POST = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";
