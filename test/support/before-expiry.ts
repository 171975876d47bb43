/** The answer to a request with a credential that expires soon after: the lifetime grows until the request arrives before its end. */
export const beforeExpiry = async (send: (lifetimeMilliseconds: number) => Promise<Response>): Promise<Response> => {
  for (let lifetime = 1_000; ; lifetime *= 2) {
    const response = await send(lifetime)
    if (response.ok || lifetime > 60_000) return response
    await response.arrayBuffer()
  }
}
