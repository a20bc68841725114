/** Refuses authorization requests that the engine would answer without saying what is wrong. */
import { errors } from 'oidc-provider';
import { oauthResponseModes } from '#platform/grant-types.ts';

export interface AuthorizationParameters {
  readonly response_type?: string;
  readonly response_mode?: string;
  readonly scope?: string;
}

export function requireClearAuthorization({
  response_type: type,
  response_mode: mode,
  scope,
}: AuthorizationParameters): void {
  // The engine would answer with a page that needs a script, which our content security policy refuses.
  if (mode === 'form_post') throw createFormPostError();
  if (type === undefined) throw new errors.InvalidRequest("missing required parameter 'response_type'");
  // Without `prompt=consent` the engine drops it, as OpenID Connect Core 1.0 §11 says.
  if (typeof scope === 'string' && scope.split(' ').includes(OFFLINE_ACCESS))
    throw new errors.InvalidScope('requested scope is not allowed', OFFLINE_ACCESS);
}

const OFFLINE_ACCESS = 'offline_access';

/** On a page of ours: who asks for a POST would hardly understand a redirect. */
function createFormPostError(): errors.OIDCProviderError {
  const modes = oauthResponseModes.join(' or ');
  const error = new errors.UnsupportedResponseMode(`response_mode form_post is not supported; use ${modes}`);
  error.allow_redirect = false;
  return error;
}
