/** Answers to one question that is asked again and again come in any order: one that a later one overtook is no news. */
export class RequestOrder {
  private requestCount = 0;
  private lastAnswered = 0;

  /** To be called when the question is asked; the number belongs to its answer. */
  next(): number {
    return ++this.requestCount;
  }

  /** To be called once with each answer: whether it is newer than those that came before. */
  acceptAnswer(question: number): boolean {
    if (question < this.lastAnswered) return false;
    this.lastAnswered = question;
    return true;
  }
}
