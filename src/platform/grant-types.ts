/** The grant types, client authentication methods and response modes that the authorization server supports. */
export const grantTypes = ['authorization_code', 'client_credentials', 'refresh_token'] as const;

export type GrantType = (typeof grantTypes)[number];

export const clientAuthMethods = ['client_secret_basic', 'client_secret_post'] as const;

/** Both are redirects; form_post would need a script. */
export const oauthResponseModes = ['query', 'fragment'] as const;
