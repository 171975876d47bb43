const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A command that sends one line to a branch. */
export const curlOf = ({ submit_endpoint, api_key }: { submit_endpoint: string; api_key: string }): string =>
  [
    `curl ${quoted(submit_endpoint)}`,
    `  -H ${quoted(`Authorization: Bearer ${api_key}`)}`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${quoted(JSON.stringify({ source_id: 'test', entries: [{ text: 'hello from another machine' }] }))}`,
  ].join(' \\\n')
