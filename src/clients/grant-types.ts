/** The grants, the ways to authenticate and the ways to answer that the authorization server knows. */
export const grantTypes = ['authorization_code', 'client_credentials', 'refresh_token'] as const;

export type GrantType = (typeof grantTypes)[number];

export const clientAuthMethods = ['client_secret_basic', 'client_secret_post'] as const;

/** Both are redirects; a form that sends itself would need a script. */
export const oauthResponseModes = ['query', 'fragment'] as const;
