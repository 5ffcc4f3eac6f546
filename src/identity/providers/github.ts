/** GitHub gives no ID token: its API says who holds the access token. */
import * as oauth from "oauth4webapi";
import * as z from "zod";
import { requestOptions } from "./providers";

const API = "https://api.github.com";

const user = z.object({ id: z.int().min(1), name: z.string().nullish() });
const emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/**
 * Returns the person, with their primary address if GitHub has verified it. Throws like oauth4webapi and zod, and
 * ProviderUnreachable.
 */
export async function readGithubProfile(accessToken: string) {
  const read = async (path: string): Promise<unknown> => {
    const headers = new Headers({ Accept: "application/vnd.github+json" });
    const options = requestOptions(API);
    const response = await oauth.protectedResourceRequest(
      accessToken,
      "GET",
      new URL(path, API),
      headers,
      null,
      options,
    );
    if (response.status !== 200) throw new oauth.OperationProcessingError("not a profile", { cause: response });
    return response.json();
  };
  const [{ id, name }, addresses] = [user.parse(await read("/user")), emails.parse(await read("/user/emails"))];
  const primary = addresses.find((address) => address.primary && address.verified);
  return { sub: String(id), email: primary?.email, emailVerified: primary !== undefined, name };
}
