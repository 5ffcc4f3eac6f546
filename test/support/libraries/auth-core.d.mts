/** The part of Auth.js that is used: its own types bring in those of browsers, which contradict those of Workers. */
export declare const customFetch: unique symbol;

interface Account {
  providerAccountId: string;
  refresh_token: string;
  id_token: string;
  /** Unix seconds. */
  expires_at: number;
}

export interface AuthConfig {
  secret: string;
  trustHost: boolean;
  basePath: string;
  logger: { error: () => void };
  providers: object[];
  callbacks: {
    jwt(given: {
      token: Record<string, unknown>;
      account: Account | null;
      profile?: Record<string, unknown>;
    }): Promise<Record<string, unknown>>;
    session(given: { session: object; token: Record<string, unknown> }): object;
  };
}

export declare function Auth(request: Request, config: AuthConfig): Promise<Response>;
