/** The name of the cookie that holds a sign-in between its pages. */
export const SIGN_IN_COOKIE = '__Host-sign-in';
