import type { WebRequest } from './web-request.ts'

const address = String.raw`(?<client>(?:\d{1,3}\.){3}\d{1,3}|[\da-f]{0,4}:[\da-f:]{2,40})`

/** Messages of web servers about a file that a client requested and that is not there: Apache's and nginx's. */
const forms: readonly RegExp[] = [
  new RegExp(
    String.raw`\[client \[?${address}\]?(?::\d{1,5})?\] (?:AH\d{5}: )?(?:file does not exist: |script not found or unable to stat: |script (?='.{1,2000}' not found or unable to stat))'?(?<path>[^\s',]{1,2000})`,
    'i',
  ),
  new RegExp(
    String.raw`(?:\bopen\(\) "[^"]{1,2000}" failed|" is not found) \(2: no such file or directory\), client: ${address}, .{0,500}?\brequest: "\w{3,10} (?<path>[^\s"]{1,2000})`,
    'i',
  ),
]

/**
 * The request for a missing file that the error log of a web server reports, if any: some servers have no other log. It counts as answered with 404.
 * Its path is that of the file if the message does not contain that of the request.
 */
export const missingFileOf = (text: string): WebRequest | undefined => {
  const found = forms.map((form) => form.exec(text)).find(Boolean)?.groups
  return found && { client: found.client ?? '', method: 'GET', path: found.path ?? '', status: 404, agent: '' }
}
