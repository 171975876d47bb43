/** Called with the bytes of a body that have been sent so far, and with all of them. */
export type OnSent = (sent: number, total: number) => void

const headersOf = (lines: string): Headers => {
  const headers = new Headers()
  for (const line of lines.trim().split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return headers
}

/** Statuses whose answers have no body. */
const withoutBody = [204, 205, 304]

/** Like `fetch`, and reports how much of the body was sent, which only `XMLHttpRequest` knows. */
export const fetchWithProgress = (url: string, init: RequestInit, onSent: OnSent): Promise<Response> =>
  new Promise((resolve, reject) => {
    const { method = 'GET', body, headers, signal } = init
    signal?.throwIfAborted()
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    signal?.addEventListener('abort', abort)
    request.open(method, url)
    request.responseType = 'blob'
    for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onSent(loaded, total)
    request.onload = () => {
      const { status, statusText, response } = request
      const answered = { status, statusText, headers: headersOf(request.getAllResponseHeaders()) }
      resolve(new Response(withoutBody.includes(status) ? null : response, answered))
    }
    request.onerror = () => reject(new TypeError('The network failed.'))
    request.onabort = () => reject(signal?.reason)
    request.onloadend = () => signal?.removeEventListener('abort', abort)
    request.send(body as XMLHttpRequestBodyInit | null | undefined)
  })
