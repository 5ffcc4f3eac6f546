/** What a flow asks of the provider of its connection. */

/** How the person is asked. */
export interface Asking {
  /** Whether the person must show themselves anew. */
  isStepUp: boolean;
  isTest: boolean;
  /** The address that the person has typed. */
  loginHint: string | undefined;
}

/** Where the browser goes, and what the answer is compared with. */
export interface ProviderRequest {
  url: string;
  secrets: {
    /** What the answer must repeat: `state`, or the ID of a request by SAML. */
    state: string;
    /** Of OpenID Connect; else empty. */
    nonce: string;
    verifier: string;
  };
}
