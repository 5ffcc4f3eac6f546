import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { origin, web } from "../web";

export default async function Page() {
  const { session } = await web.session(new Request(origin, { headers: await headers() }));
  if (!session) redirect("/auth/sign-in");
  return <h1>{`Hello ${session.email} of ${session.tenant.name}`}</h1>;
}
