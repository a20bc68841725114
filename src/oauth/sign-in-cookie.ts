/** The name of the cookie that holds the session during a sign-in. */
export const SIGN_IN_COOKIE = '__Host-sign-in';
