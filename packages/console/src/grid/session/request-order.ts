/** Finds outdated answers of a repeated request: an answer is outdated if a later request was answered first. */
export class RequestOrder {
  private requestCount = 0;
  private lastAnswered = 0;

  /** Call it for each request; the number belongs to its answer. */
  next(): number {
    return ++this.requestCount;
  }

  /** Call it once for each answer. Returns true if no later request was answered before. */
  acceptAnswer(question: number): boolean {
    if (question < this.lastAnswered) return false;
    this.lastAnswered = question;
    return true;
  }
}
