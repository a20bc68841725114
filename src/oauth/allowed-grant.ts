/** Reads what a person allowed a client from the grant that the engine stored. */

/** Stored with the grant if the person ticked that the client may learn the e-mail address; it is not a scope. */
export const EMAIL_CLAIM = 'email';

export interface AllowedGrant {
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

export function parseGrantPayload(payload: string): AllowedGrant {
  const { iat, openid = {}, resources = {} } = JSON.parse(payload) as GrantPayload;
  const scopes = [openid.scope ?? '', ...Object.values(resources)].flatMap((text) => text.split(' '));
  return {
    scopes: [...new Set(scopes)],
    sharesEmail: openid.claims?.includes(EMAIL_CLAIM) ?? false,
    since: iat * 1_000,
  };
}
