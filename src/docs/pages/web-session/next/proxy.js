import { NextResponse } from "next/server";
import { web } from "./web";

/** Sets the cookies of renewed sessions, which pages cannot. */
export async function proxy(request) {
  const { headers } = await web.session(request);
  const response = NextResponse.next();
  for (const line of headers.getSetCookie()) response.headers.append("Set-Cookie", line);
  return response;
}

export const config = { matcher: ["/((?!auth/|_next/).*)"] };
