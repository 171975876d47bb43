import type { ServerResponse } from 'node:http'
import { listenForTests } from './http-server.ts'

/** What a server does with a question: its body, and the authorization that came with it. */
export type Behaviour = (response: ServerResponse, body: string, authorization: string | undefined) => void

/** A chat-completions server with scripted behaviour. */
export const serveChat = async (behave: Behaviour) => {
  const server = await listenForTests(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    if (request.url !== '/v1/chat/completions') response.writeHead(404).end('{}')
    else behave(response, body, request.headers.authorization)
  })
  return { ...server, baseUrl: `${server.url}/v1` }
}

export const delta = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`
export const ended = (reason: string) =>
  `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: reason }] })}\n\n`
export const done = 'data: [DONE]\n\n'
