print("tapcard")
