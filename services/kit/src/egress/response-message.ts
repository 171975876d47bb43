/** Whether a text is an HTML document, such as the sign-in or error page of a proxy. */
export const isWebPage = (text: string): boolean => /^\s*(?:<!doctype html|<html)\b/i.test(text)

const titleOf = (page: string): string => {
  const title = /<title[^<>]*>([^<]{1,300})/i.exec(page)?.[1]?.trim()
  return title ? `a web page, "${title}"` : 'a web page'
}

const detailOf = (text: string): string | undefined => {
  try {
    const body: unknown = JSON.parse(text)
    const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : undefined
    return typeof detail === 'string' ? detail : undefined
  } catch {
    return undefined
  }
}

type Headed = { status: number; url: string; headers: { get: (name: string) => string | null } }

/** The target of a redirect that was not followed, without parts that may be secret. */
const redirectOf = ({ status, url, headers }: Headed): string | undefined => {
  const location = status >= 300 && status <= 399 ? headers.get('location') : null
  const to = location === null ? null : URL.parse(location, url)
  return to ? `a redirect to ${to.origin}${to.pathname}` : undefined
}

/**
 * The message of another server's response, in one line: the target of its redirect, the `detail` of its JSON object or the title of its web page if
 * there is one, else the text of its body.
 */
export const responseMessage = (response: Headed, text: string, maxCharacters: number): string =>
  (redirectOf(response) ?? (isWebPage(text) ? titleOf(text) : (detailOf(text) ?? text)))
    .replaceAll('\0', '')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxCharacters)
    .toWellFormed()
