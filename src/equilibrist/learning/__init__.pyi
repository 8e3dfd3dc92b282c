from equilibrist.learning.catalogue import load_method as load_method
from equilibrist.learning.learner import Learner as Learner
from equilibrist.learning.learner import Method as Method
