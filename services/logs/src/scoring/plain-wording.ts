const joinedNames = /[a-z\d][A-Z]/

/** Names of events as a sentence: `AUTHENTICATION_FAILED` and `LoginFailed` say what "authentication failed" and "login failed" say. */
export const plainWording = (text: string): string => {
  const words = text.includes('_') ? text.replaceAll('_', ' ') : text
  return joinedNames.test(words) ? words.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2') : words
}
