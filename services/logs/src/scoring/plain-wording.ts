const joinedNames = /[a-z\d][A-Z]/

/** Names of events as sentences: `AUTHENTICATION_FAILED` and `LoginFailed` become "AUTHENTICATION FAILED" and "Login Failed". */
export const plainWording = (text: string): string => {
  const words = text.includes('_') ? text.replaceAll('_', ' ') : text
  return joinedNames.test(words) ? words.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2') : words
}
