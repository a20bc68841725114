/** The permissions of a person: what they allowed clients, each backed by a grant of the engine. */
import type { Services } from '#services.ts';
import { listUserGrants, type UserGrant } from '#store/clients/tokens.ts';

/** Stored with the grant if the person ticked that the client may learn the e-mail address; it is not a scope. */
export const EMAIL_CLAIM = 'email';

interface AllowedGrant {
  readonly scopes: readonly string[];
  readonly sharesEmail: boolean;
  /** When the person allowed it, in epoch milliseconds. */
  readonly since: number;
}

/** The stored payload of a grant, as the engine writes it. */
interface GrantPayload {
  readonly iat: number;
  readonly openid?: { readonly scope?: string; readonly claims?: readonly string[] };
  readonly resources?: Readonly<Record<string, string>>;
}

/** More permissions are rare, and can be ended all at once. */
export const MAX_LISTED_PERMISSIONS = 50;

export interface Permission extends AllowedGrant, Omit<UserGrant, 'payload'> {}

/** Newest first. Returns one more than the page shows, if there are more. */
export async function listPermissions(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  userId: string,
): Promise<Permission[]> {
  const limit = MAX_LISTED_PERMISSIONS + 1;
  const grants = await listUserGrants(store.records, userId, { now: clock.now(), limit });
  return grants.map(({ payload, ...grant }) => ({ ...grant, ...parseGrantPayload(payload) }));
}

/** Reads what a person allowed a client from the grant that the engine stored. */
export function parseGrantPayload(payload: string): AllowedGrant {
  const { iat, openid = {}, resources = {} } = JSON.parse(payload) as GrantPayload;
  const scopes = [openid.scope ?? '', ...Object.values(resources)].flatMap((text) => text.split(' '));
  return {
    scopes: [...new Set(scopes)],
    sharesEmail: openid.claims?.includes(EMAIL_CLAIM) ?? false,
    since: iat * 1_000,
  };
}
