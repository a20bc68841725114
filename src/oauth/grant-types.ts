/** The grants and the ways to authenticate that the token endpoint takes. */
export const grantTypes = ['authorization_code', 'client_credentials', 'refresh_token'] as const;

export type GrantType = (typeof grantTypes)[number];

export const clientAuthMethods = ['client_secret_basic', 'client_secret_post'] as const;
